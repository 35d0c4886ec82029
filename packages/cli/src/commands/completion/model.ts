import type { Argument, Command, Option } from 'commander';

/** What may be typed as a value: one of these words, a path, or anything. */
export type Value = { words: readonly string[] } | 'file' | 'folder' | 'any';

export interface CompletedOption {
  /** Such as `--json` and `-q`. */
  flags: string[];
  description: string;
  /** Absent for an option without a value. */
  value?: Value;
  repeatable: boolean;
}

interface CompletedCommand {
  name: string;
  description: string;
  options: CompletedOption[];
  arguments: Value[];
  /** Whether the last argument may be given several times. */
  variadic: boolean;
}

/** Everything that can be completed, as the program itself defines it. */
export interface CompletionModel {
  program: string;
  options: CompletedOption[];
  commands: CompletedCommand[];
}

export function modelOf(program: Command): CompletionModel {
  const help = program.createHelp();
  const optionsOf = (command: Command): CompletedOption[] => help.visibleOptions(command).map(toOption);
  const commands = help.visibleCommands(program).map((command) => ({
    name: command.name(),
    description: sentence(command.description()),
    options: optionsOf(command),
    arguments: command.registeredArguments.map((argument) => valueOf(argument)),
    variadic: command.registeredArguments.at(-1)?.variadic ?? false,
  }));
  // `help` takes the name of another command.
  const names = commands.map(({ name }) => name);
  for (const command of commands) if (command.name === 'help') command.arguments = [{ words: names }];
  return { program: program.name(), options: optionsOf(program), commands };
}

function toOption(option: Option): CompletedOption {
  const { short, long, description, required, optional, defaultValue } = option;
  return {
    flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
    description: sentence(description),
    ...((required || optional) && { value: valueOf(option) }),
    // Options whose values are collected have a list as default.
    repeatable: Array.isArray(defaultValue),
  };
}

/** The kind of value, from its name in the help: `<file>`, `<dir>`. */
function valueOf(owner: Option | Argument): Value {
  if (owner.argChoices !== undefined) return { words: owner.argChoices };
  const name = 'flags' in owner ? (/[<[]([^>\]]+)/.exec(owner.flags)?.[1] ?? '') : owner.name();
  if (name === 'file') return 'file';
  return name === 'dir' ? 'folder' : 'any';
}

/** One line without characters that each shell quotes in its own way. */
function sentence(text: string): string {
  return text.replaceAll(/[`'"$\\]/g, '').replace(/\.$/, '');
}
