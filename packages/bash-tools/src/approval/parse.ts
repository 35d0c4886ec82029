/** The simple commands of a command line, each as its words; `undefined` for a line that holds anything else. */
export type SimpleCommands = string[][] | undefined;

/**
 * Splits a command line that consists only of simple commands with plain words, separated by `;`, `&`, `&&`, `|`, `||`
 * and line breaks. The result is `undefined` for everything by which a word could become another one, or a command
 * could run elsewhere: `$`, backquotes, backslashes, redirections, brackets and braces, comments, assignments, and
 * every character that does not print. So each word here is exactly the word that the shell sees.
 */
export function simpleCommandsOf(command: string): SimpleCommands {
  const commands: string[][] = [[]];
  let word: string | undefined;
  for (let at = 0; at < command.length; at++) {
    const character = command[at] as string;
    if (character === "'" || character === '"') {
      const end = command.indexOf(character, at + 1);
      const text = command.slice(at + 1, end);
      // Some characters keep their meaning between double quotes.
      if (end < 0 || isMeaningful(text, character === '"' ? /[$`\\!]/ : /(?!)/)) return undefined;
      word = (word ?? '') + text;
      at = end;
    } else if (/[ \t\n;&|]/.test(character)) {
      if (word !== undefined) commands.at(-1)?.push(word);
      word = undefined;
      if (!/[ \t]/.test(character)) commands.push([]);
    } else if (isMeaningful(character, /[$`\\<>(){}!^]/) || (character === '#' && word === undefined)) return undefined;
    else word = (word ?? '') + character;
  }
  if (word !== undefined) commands.at(-1)?.push(word);
  return commands.filter(({ length }) => length > 0);
}

function isMeaningful(text: string, pattern: RegExp): boolean {
  return pattern.test(text) || /[^\P{C}\n\t]/u.test(text);
}

/** The words of a text, whatever separates them. It serves to find a word, and does not show what runs. */
export function wordsOf(command: string): string[] {
  return command
    .replace(/['"\\]/g, '')
    .split(/[^\p{L}\p{N}_./:=@%+,~*?-]+/u)
    .filter((word) => word !== '');
}
