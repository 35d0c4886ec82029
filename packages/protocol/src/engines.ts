/** The names of the engines. */
export const engineNames = ['mustardscript', 'quickjs'] as const;
/** The name of an engine. */
export type EngineName = (typeof engineNames)[number];

/** What a caller may ask for: the name of an engine, or `auto`, which chooses one by the text of the script. */
export const engineChoices = ['auto', ...engineNames] as const;
/** An engine, or `auto`, which chooses one by the text of the script. */
export type EngineChoice = (typeof engineChoices)[number];
