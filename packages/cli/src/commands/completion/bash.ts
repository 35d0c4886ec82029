import type { CompletedOption, CompletionModel, Value } from './model.ts';

/** For bash 3.2 and later, the version of macOS. It does not need bash-completion. */
export function bashCompletion({ program, options, commands }: CompletionModel): string {
  const cases = commands.map(
    ({ name, options, arguments: [argument] }) => `    ${name})
${valueCases(options)}
      options='${flagsOf(options)}'
      argument='${argument === undefined ? '' : codeOf(argument)}'
      ;;`,
  );
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of ${program} for bash. Made by: ${program} completion bash
_${id(program)}() {
  local word=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]} command='' value='' options='' argument=''
  local IFS=$'\\n'
  # bash makes = a word of its own: --root=x is three words, and NAME=FILE is as well.
  if [[ $word == '=' ]]; then word=''; option=\${COMP_WORDS[COMP_CWORD-1]}
  elif [[ $option == '=' ]]; then option=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $option != -* && \${COMP_WORDS[COMP_CWORD-1]} == '=' && COMP_CWORD -gt 3 ]]; then
    option=\${COMP_WORDS[COMP_CWORD-3]}
  fi
  if (( COMP_CWORD > 1 )); then command=\${COMP_WORDS[1]}; fi
  case $command in
    '')
      options='${flagsOf(options)}'
      argument='words ${names}'
      ;;
${cases.join('\n')}
  esac
  if [[ -z $value && $word == -* ]]; then value="words $options"; fi
  if [[ -z $value ]]; then value=$argument; fi
  case $value in
    file) COMPREPLY=( $(compgen -f -- "$word") ); compopt -o filenames 2>/dev/null ;;
    folder) COMPREPLY=( $(compgen -d -- "$word") ); compopt -o filenames 2>/dev/null ;;
    words*) IFS=$' \\n'; COMPREPLY=( $(compgen -W "\${value#words }" -- "$word") ) ;;
    *) COMPREPLY=() ;;
  esac
}
complete -F _${id(program)} ${program}
`;
}

function valueCases(options: CompletedOption[]): string {
  const cases = options.flatMap(({ flags, value }) =>
    value === undefined ? [] : [`        ${flags.join('|')}) value='${codeOf(value)}' ;;`],
  );
  return cases.length === 0 ? '      :' : ['      case $option in', ...cases, '      esac'].join('\n');
}

function codeOf(value: Value): string {
  return typeof value === 'string' ? value : `words ${value.words.join(' ')}`;
}

function flagsOf(options: CompletedOption[]): string {
  return options.flatMap(({ flags }) => flags).join(' ');
}

function id(name: string): string {
  return name.replaceAll('-', '_');
}
