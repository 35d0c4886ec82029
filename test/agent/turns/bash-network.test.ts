// Commands of a chat in a real jail: their packages, what they reach by the network, and what they print while they run.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Chat } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { noJail } from '../../isolation/support.ts';
import { partsOf, Stage } from './support.ts';

interface CommandRun {
  exitCode?: number;
  stopped?: true;
  stdout: { text: string };
  reached?: { hosts: { host: string; refused: number; why?: string }[] };
}

describe.skipIf(noJail !== undefined)('a command of a chat', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start({ turns: { bash: { env: { MUSTARD_ENABLE_BASH_TOOL: '1' } } } });
    await stage.page.ask('update-settings', { bash: true });
  });

  const runsOf = async (chat: Chat): Promise<CommandRun[]> =>
    (await stage.messages(chat)).flatMap((message) => partsOf(message, 'bash').map(({ run }) => run as CommandRun));

  async function run(chat: Chat, command: string): Promise<CommandRun> {
    stage.model.reply([{ call: 'bash', args: { command } }], [{ text: 'Done.' }]);
    await stage.answer(chat, 'Go');
    return (await runsOf(chat)).at(-1) as CommandRun;
  }

  const network = (registries: boolean, domains: string[]) =>
    stage.page.ask('update-settings', { network: { registries, domains } });

  it('has no network unless the settings say so, and domains are kept in one form', async () => {
    expect((await stage.page.ask('update-settings', {})).network).toEqual({ registries: false, domains: [] });
    expect((await network(false, [' EXAMPLE.com. ', 'example.com', '*.bücher.example'])).network.domains).toEqual([
      'example.com',
      '*.xn--bcher-kva.example',
    ]);
    for (const wrong of ['127.0.0.1', 'localhost', 'https://example.com', '0x7f.1']) {
      await expect(network(true, ['ok.example', wrong])).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(wrong) as string,
      });
    }
    expect((await network(false, [])).network).toEqual({ registries: false, domains: [] });
  });

  it('asks with the network that it gets, and shows what it reached', async () => {
    const { chat } = await stage.chat('agent', { 'a.txt': 'one\n' });
    const asked: (string[] | undefined)[] = [];
    stage.page.onQuestion = (question) => {
      if (question.kind === 'command') asked.push(question.domains);
      return 'allow-always';
    };
    const say = (line: string): string =>
      `exec 5<>/dev/tcp/127.0.0.1/63128 && printf '${line}\\r\\n\\r\\n' >&5; cat <&5`;
    const command = say('CONNECT evil.example:443 HTTP/1.1');
    expect((await run(chat, command)).reached).toBeUndefined();
    await network(true, ['api.example']);
    const { reached, stdout } = await run(chat, command);
    expect(reached?.hosts).toMatchObject([
      { host: 'evil.example', refused: 1, why: 'it is not on the list of domains' },
    ]);
    expect(stdout.text).toContain('does not reach evil.example:443');
    // "Always" holds for the command with this network.
    await run(chat, command);
    expect(asked).toEqual([[], expect.arrayContaining(['registry.npmjs.org', 'pypi.org', 'api.example'])]);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages[0])).toContain('api.example');
    await network(false, []);
  });

  it('shows what it prints while it runs, and Stop keeps it', async () => {
    const { chat } = await stage.chat('agent');
    stage.page.onQuestion = () => 'allow-once';
    stage.model.reply([{ call: 'bash', args: { command: 'echo one; sleep 600' } }]);
    const { messageId } = await stage.send(chat, 'Go');
    await stage.page.until('chat:response:part', ({ part }) => {
      const shown = part.type === 'bash' ? (part.run as CommandRun) : undefined;
      return shown?.stdout.text === 'one' && shown.exitCode === undefined && shown.stopped === undefined;
    });
    await stage.page.ask('chat:cancel', { chatId: chat.id });
    expect((await stage.page.ended(messageId)).state).toBe('cancelled');
    await expect.poll(async () => (await runsOf(chat))[0]).toMatchObject({ stopped: true, stdout: { text: 'one' } });
  });

  it('uses the packages of the app, and git shows its history', async () => {
    const { chat } = await stage.chat('agent', {
      'node_modules/one/index.js': 'module.exports = "of the app";',
      '.gitignore': 'node_modules\n',
    });
    stage.page.onQuestion = () => 'allow-once';
    await stage.page.ask('init-git', { appId: chat.appId });
    const { stdout } = await run(chat, 'node -p "require(\'one\')"; git log --oneline | wc -l; git status --short');
    expect(stdout.text).toMatch(/^of the app\n[1-9]$/);
  });
});
