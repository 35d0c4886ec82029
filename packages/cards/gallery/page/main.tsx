import { StrictMode, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveSection } from './live.tsx';
import { AllSections } from './sections.tsx';

const parameters = new URLSearchParams(location.search);

/** Light, dark, or as the system has it. */
function Theme(): ReactElement {
  const [theme, setTheme] = useState(document.documentElement.dataset['theme'] ?? '');
  const choose = (next: string): void => {
    setTheme(next);
    if (next === '') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = next;
  };
  return (
    <label>
      Theme{' '}
      <select id="theme" value={theme} onChange={(event) => choose(event.target.value)}>
        <option value="">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

for (const name of ['theme', 'dir'] as const) {
  const value = parameters.get(name);
  if (value === null) continue;
  if (name === 'dir') document.documentElement.dir = value;
  else document.documentElement.dataset['theme'] = value;
}

createRoot(document.querySelector('#root') as HTMLElement).render(
  <StrictMode>
    <header>
      <h1>Cards</h1>
      <Theme />
    </header>
    <main>
      {parameters.has('live') && <LiveSection />}
      <AllSections />
    </main>
  </StrictMode>,
);
