import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliInProcess as cli } from '../in-process.ts';
import { makeFolder, parseOnly } from '../support.ts';

describe('validate', () => {
  it('accepts a script without running it', async () => {
    const cwd = makeFolder({ 'ok.js': 'console.log("ran"); while (true) {}' });
    expect(await cli(['validate', 'ok.js'], { cwd })).toEqual({
      exitCode: 0,
      stdout: 'ok.js: no problems\n',
      stderr: '',
    });
    const asJson = await cli(['validate', 'ok.js', '--json'], { cwd });
    expect(parseOnly(asJson)).toEqual({ ok: true, diagnostics: [] });
    expect(asJson.exitCode).toBe(0);
  });

  it('shows a problem with its place', async () => {
    const input = 'const a = 1;\nimport d from "b"';
    const ended = await cli(['validate', '-'], { input });
    expect(ended).toMatchObject({ exitCode: 1, stderr: '' });
    expect(ended.stdout).toMatch(
      /^stdin:2:1: unsupported_syntax: .+\n {2}1 \| const a = 1;\n {2}2 \| import d from "b"\n {4}\| +\^+\n/,
    );

    const asJson = await cli(['validate', '-', '--json'], { input });
    expect(asJson).toMatchObject({ exitCode: 1, stderr: '' });
    const report = parseOnly(asJson);
    expect(report).toMatchObject({ ok: false, error: { code: 'unsupported_syntax' } });
    expect(report['diagnostics']).toHaveLength(1);
  });

  it.each([
    ['quickjs', 0],
    ['mustardscript', 1],
  ])('checks it for the engine %s', async (engine, exitCode) => {
    const input = 'class A {}\nnew A() instanceof A';
    expect(await cli(['validate', '-', '--engine', engine], { input })).toMatchObject({ exitCode, stderr: '' });
    const config = join(makeFolder({ 'config.toml': `[scripts]\nengine = "${engine}"\n` }), 'config.toml');
    expect(await cli(['validate', '-', '--config', config], { input })).toMatchObject({ exitCode, stderr: '' });
  });

  it('says where it is no JavaScript', async () => {
    const ended = await cli(['validate', '-'], { input: 'let x = ;' });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(/^stdin:1:9: parse_error: /);
  });

  it('refuses a script that run would refuse for its size', async () => {
    const ended = await cli(['validate', '-', '--json'], { input: `"${'x'.repeat(32 * 1024)}"` });
    expect(ended.exitCode).toBe(1);
    expect(parseOnly(ended).error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'script_bytes' } });
  });
});
