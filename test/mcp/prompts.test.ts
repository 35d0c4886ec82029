import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectForAll, eras, makeFolder, textOf } from './support.ts';

const log = 'a ERROR E1\nb ERROR E2\nc ERROR E1\n';

describe.each(eras)('prompts, completion and resources of %s', (era) => {
  const server = connectForAll(
    (onEnd) => {
      const folder = makeFolder({ 'root/logs/app.log': log, 'root/.env': 'S=1', 'server.log': log }, onEnd);
      return ['--root', join(folder, 'root'), '--attach', join(folder, 'server.log'), '--consent', 'always'];
    },
    { era },
  );

  it('are the recipes, with their inputs', async () => {
    const { prompts } = await server().client.listPrompts();
    expect(prompts.length).toBeGreaterThan(20);
    expect(prompts.find(({ name }) => name === 'top-errors')).toMatchObject({
      title: 'Top errors',
      description: 'The most common error codes of a log, with their counts.',
      arguments: [{ name: 'file', required: false }, { name: 'after' }, { name: 'top' }],
    });
  });

  it('give a script that runs as it is', async () => {
    const args = { file: 'attachments:server.log', top: '1' };
    const { messages } = await server().client.getPrompt({ name: 'top-errors', arguments: args });
    const [message] = messages;
    const text = message?.content.type === 'text' ? message.content.text : '';
    const [, script = ''] = /```js\n(.*)\n```/s.exec(text) ?? [];
    const answer = await server().run(script);
    expect(answer.structuredContent.status, textOf(answer)).toBe('completed');
    expect(JSON.stringify(answer.structuredContent.value)).toContain('E1');
    expect(JSON.stringify(answer.structuredContent.value)).not.toContain('E2');
  });

  it('say what is wrong with an input', async () => {
    const get = async (name: string, args: Record<string, string>): Promise<unknown> =>
      await server().client.getPrompt({ name, arguments: args });
    await expect(get('none', {})).rejects.toThrow('There is no prompt "none"');
    await expect(get('top-errors', { top: 'many' })).rejects.toThrow('top must be number as JSON');
    await expect(get('top-errors', { other: '1' })).rejects.toThrow('top-errors has no input "other"');
  });

  it('are completed with attachments and paths, and never with a secret', async () => {
    const complete = async (value: string): Promise<string[]> => {
      const ref = { type: 'ref/prompt' as const, name: 'top-errors' };
      const { completion } = await server().client.complete({ ref, argument: { name: 'file', value } });
      return completion.values;
    };
    expect(await complete('')).toEqual(['attachments:server.log', 'logs/']);
    expect(await complete('att')).toEqual(['attachments:server.log']);
    expect(await complete('logs/')).toEqual(['logs/app.log']);
    for (const outside of ['.', '../', '/etc/', 'logs/../../', '.git/']) expect(await complete(outside)).toEqual([]);
    const ref = { type: 'ref/resource' as const, uri: 'attachments:///{name}{?start,length}' };
    const { completion } = await server().client.complete({ ref, argument: { name: 'name', value: 'ser' } });
    expect(completion.values).toEqual(['server.log']);
  });

  it('name what a script can call, as a resource', async () => {
    const { resources } = await server().client.listResources();
    const [functions] = resources.filter(({ name }) => name === 'functions.d.ts');
    const { contents } = await server().client.readResource({ uri: String(functions?.uri) });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('declare function pdf_text(') });
  });

  it('every tool says what it does to the world and what it answers, and has an icon', async () => {
    const { tools } = await server().client.listTools();
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
      });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.icons?.[0]?.src).toMatch(/^data:image\/svg\+xml;base64,/);
    }
  });
});
