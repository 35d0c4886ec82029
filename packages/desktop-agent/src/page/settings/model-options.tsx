import { oneLine } from '@mustard-sandbox/cards';
import { useId, useState, type ReactElement } from 'react';
import type { Model, ModelOptions, Price } from '../../shared/contract/index.ts';
import { Button, Failure } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Field } from './field.tsx';

/** The settings of one model: its window, how it answers, and its price. */
export function ModelOptionsSettings(): ReactElement | null {
  const models = useAgentState((state) => state.models) ?? [];
  const id = useId();
  const [chosen, choose] = useState('');
  const known = models.filter((one) => one.id !== 'tour');
  const model = known.find((one) => one.id === chosen);
  if (known.length === 0) return null;
  return (
    <section className="ma-field">
      <label className="ms-message-title" htmlFor={id}>
        {texts.options}
      </label>
      <p className="ms-note" id={`${id}-hint`}>
        {texts.optionsHint}
      </p>
      <select
        id={id}
        className="ms-input ma-select"
        aria-describedby={`${id}-hint`}
        value={model === undefined ? '' : chosen}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">{texts.optionsChoose}</option>
        {known.map(({ id, label, provider, options }) => (
          <option key={id} value={id}>
            {oneLine(`${label} — ${provider}${options === null ? '' : texts.optionsSet}`)}
          </option>
        ))}
      </select>
      {model !== undefined && <OptionsForm key={model.id} model={model} />}
    </section>
  );
}

const numbers = ['contextWindow', 'maxTokens', 'temperature'] as const;
const prices = ['input', 'output', 'cached'] as const;
type Typed = Record<(typeof numbers)[number] | (typeof prices)[number], string> & { effort: string };

function OptionsForm({ model }: { model: Model }): ReactElement {
  const agent = useAgent();
  const effortId = useId();
  const [typed, setTyped] = useState<Typed>(() => typedOf(model));
  const [problem, setProblem] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const change = (part: Partial<Typed>): void => {
    setTyped({ ...typed, ...part });
    setSaved(false);
  };
  const save = async (options: ModelOptions | null): Promise<void> => {
    setProblem(undefined);
    try {
      await agent.call('set-model-options', { model: model.id, options });
      if (options === null) setTyped(typedOf({ ...model, options: null, contextWindow: null, price: null }));
      await agent.loadModels();
      setSaved(true);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  };
  const submit = (): void => {
    const given = optionsIn(typed);
    if (typeof given === 'string') setProblem(given);
    else void save(given);
  };
  return (
    <form
      className="ms-settings ma-options"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="ma-fields">
        {numbers.map((name) => (
          <Field
            key={name}
            label={texts.optionLabels[name]}
            hint={texts.optionHints[name]}
            value={typed[name]}
            onChange={(text) => change({ [name]: text })}
          />
        ))}
        <div className="ma-field">
          <label className="ms-message-title" htmlFor={effortId}>
            {texts.effort}
          </label>
          <select
            id={effortId}
            className="ms-input ma-select"
            value={typed.effort}
            onChange={(event) => change({ effort: event.target.value })}
          >
            {(['', 'low', 'medium', 'high'] as const).map((value) => (
              <option key={value} value={value}>
                {texts.efforts[value]}
              </option>
            ))}
          </select>
        </div>
        {prices.map((name) => (
          <Field
            key={name}
            label={texts.optionLabels[name]}
            value={typed[name]}
            onChange={(text) => change({ [name]: text })}
          />
        ))}
      </div>
      <p className="ms-note">{texts.priceHint}</p>
      {problem !== undefined && <Failure title={problem} retry={texts.retry} />}
      <div className="ma-actions">
        <Button type="submit" kind="primary">
          {texts.serverSave}
        </Button>
        {model.options !== null && <Button onClick={() => void save(null)}>{texts.optionsReset}</Button>}
        <span className="ma-quiet" role="status">
          {isSaved ? texts.optionsSaved : ''}
        </span>
      </div>
    </form>
  );
}

/** The present settings of the model as text. */
function typedOf({ options, contextWindow, price }: Model): Typed {
  const text = (value: number | null | undefined): string => (value === null || value === undefined ? '' : `${value}`);
  return {
    contextWindow: text(contextWindow),
    maxTokens: text(options?.maxTokens),
    temperature: text(options?.temperature),
    effort: options?.effort ?? '',
    input: text(price?.input),
    output: text(price?.output),
    cached: text(price?.cached),
  };
}

/** The options that were typed, or what is wrong with them. */
function optionsIn(typed: Typed): ModelOptions | string {
  const wrong = [...numbers, ...prices].find((name) => Number.isNaN(numberIn(typed[name])));
  if (wrong !== undefined) return texts.optionWrong(texts.optionLabels[wrong]);
  const [input, output, cached] = prices.map((name) => numberIn(typed[name]));
  if ((input === null) !== (output === null)) return texts.priceHalf;
  const price: Price | null =
    input === null || output === null ? null : { input: input!, output: output!, cached: cached ?? input! };
  const [contextWindow, maxTokens, temperature] = numbers.map((name) => numberIn(typed[name]));
  return {
    contextWindow: contextWindow!,
    maxTokens: maxTokens!,
    temperature: temperature!,
    effort: typed.effort === '' ? null : (typed.effort as 'low' | 'medium' | 'high'),
    price,
  };
}

/** The number in a text such as `200,000`; `null` for an empty text, and `NaN` when it is not a number. */
function numberIn(text: string): number | null {
  const plain = text.trim().replaceAll(/[,_\s](?=\d{3}\b)/g, '');
  return plain === '' ? null : Number(plain);
}
