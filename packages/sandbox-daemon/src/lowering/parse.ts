import { parse, type Options, type Program } from 'acorn';

export const parserOptions: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  allowHashBang: true,
  // Without them a rewritten operand would have to find its own parentheses again.
  preserveParens: true,
};

/** @throws {SyntaxError} with `pos`, the offset of what is wrong */
export function parseScript(source: string): Program {
  return parse(source, parserOptions);
}
