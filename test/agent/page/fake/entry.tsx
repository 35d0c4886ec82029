import '../../../../packages/desktop-agent/src/renderer/no-eval.ts';
import { createRoot } from 'react-dom/client';
import { Page } from '../../../../packages/desktop-agent/src/renderer/app/page.tsx';
import { createAgent } from '../../../../packages/desktop-agent/src/renderer/state/agent.ts';
import { takeStyleNonce } from '../../../../packages/desktop-agent/src/renderer/style-nonce.ts';
import { FakeMain, type FakeOptions } from './fake-main.ts';

takeStyleNonce();
const query = new URLSearchParams(location.search);
const options = JSON.parse(query.get('options') ?? '{}') as FakeOptions;
if (options.chat !== undefined) sessionStorage.setItem('mustard-agent:chat:app-1', options.chat);
const fake = new FakeMain(options);
Object.assign(globalThis, { fake });
document.documentElement.dir = query.get('dir') ?? 'ltr';
createRoot(document.getElementById('root') as HTMLElement).render(<Page agent={createAgent(fake)} />);
