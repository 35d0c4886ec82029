import { it } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `JSON.parse('{"b":1,"a":{"z":1,"y":[{"q":1,"p":2}]}}')`,
  `JSON.parse('[{"b":1,"a":2},{"b":3,"a":4}]')`,
  `JSON.parse('{"b":"x\\\\"y:{","a":"\\\\u0041"}')`,
  `JSON.parse('{"b":1,"b":2,"a":3}')`,
  `JSON.parse('{"b":1,"a":2}', (k,v)=>typeof v==='number'?v+1:v)`,
  `JSON.parse('{}')`,
  `JSON.parse(' [ ] ')`,
  `JSON.parse('"x"')`,
  `JSON.parse('{"2":1,"1":2,"b":0}')`,
  `JSON.parse('{"a":-1.5e3,"Z":null,"b":true,"c":false}')`,
  `JSON.stringify(JSON.parse('{"b":[],"a":{}}'))`,
  `try { JSON.parse('{') } catch (e) { e.name }`,
  `JSON.parse('7.690322509733775e+247')`,
  `class A { toJSON() { return 'json'; } } JSON.stringify([new A(), { a: new A() }])`,
])('%s', (script) => expectAsInV8(script));
