import type { CompletedOption, CompletionModel, Value } from './model.ts';

/** For zsh 5: to be sourced after `compinit`, or put into a folder of `$fpath` as `_mustard-sandbox`. */
export function zshCompletion({ program, options, commands }: CompletionModel): string {
  const name = `_${program}`;
  const cases = commands.map(
    (command) => `    ${command.name})
      _arguments -s : ${[...command.options.map(toSpec), ...argumentSpecs(command)].join(' \\\n        ')}
      ;;`,
  );
  return `#compdef ${program}
# Completion of ${program} for zsh. Made by: ${program} completion zsh
${name}() {
  local curcontext=$curcontext state line
  _arguments -C : ${options.map(toSpec).join(' \\\n    ')} \\
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
${commands.map(({ name, description }) => `        '${name}:${description.replaceAll(':', '\\:')}'`).join('\n')}
      )
      _describe command commands
      ;;
    argument)
      case $line[1] in
${cases.join('\n').replace(/^/gm, '    ')}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function toSpec({ flags, description, value, repeatable }: CompletedOption): string {
  const text = `[${description.replaceAll(/[[\]:]/g, '\\$&')}]`;
  const argument = value === undefined ? '' : `:${labelOf(value)}:${actionOf(value)}`;
  if (flags.length === 1) return `'${repeatable ? '*' : ''}${flags[0]}${text}${argument}'`;
  const exclusive = repeatable ? '*' : `(${flags.join(' ')})`;
  return `'${exclusive}'{${flags.join(',')}}'${text}${argument}'`;
}

function labelOf(value: Value): string {
  return typeof value === 'string' ? (value === 'any' ? 'value' : value) : 'value';
}

function actionOf(value: Value): string {
  if (typeof value !== 'string') return `(${value.words.join(' ')})`;
  return { file: '_files', folder: '_files -/', any: ' ' }[value];
}

function argumentSpecs({ arguments: values, variadic }: CompletionModel['commands'][number]): string[] {
  return values.map((value, index) => {
    const position = variadic && index === values.length - 1 ? '*' : index + 1;
    return `'${position}:${labelOf(value)}:${actionOf(value)}'`;
  });
}
