import type { CompletedOption, CompletionModel, Value } from './model.ts';

/** For fish 3. */
export function fishCompletion({ program, options, commands }: CompletionModel): string {
  const names = commands.map(({ name }) => name).join(' ');
  const none = `not __fish_seen_subcommand_from ${names}`;
  const lines = [
    `# Completion of ${program} for fish. Made by: ${program} completion fish`,
    `complete -c ${program} -f`,
    ...options.map((option) => `complete -c ${program} -n '${none}' ${optionArguments(option)}`),
  ];
  for (const { name, description, options, arguments: values } of commands) {
    const here = `__fish_seen_subcommand_from ${name}`;
    lines.push(`complete -c ${program} -n '${none}' -a ${name} -d '${description}'`);
    for (const option of options) lines.push(`complete -c ${program} -n '${here}' ${optionArguments(option)}`);
    for (const value of values) {
      const argument = valueArguments(value);
      if (argument !== '') lines.push(`complete -c ${program} -n '${here}' ${argument}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function optionArguments({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  // -x means a value, and files only if they are asked for.
  const takes = value === undefined ? [] : [value === 'file' ? '-r' : '-x', valueArguments(value)];
  return [...names, ...takes.filter((part) => part !== ''), `-d '${description}'`].join(' ');
}

function valueArguments(value: Value): string {
  if (typeof value !== 'string') return `-a '${value.words.join(' ')}'`;
  return { file: '-F', folder: `-a '(__fish_complete_directories)'`, any: '' }[value];
}
