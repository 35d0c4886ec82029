import './no-eval.ts';
import { createRoot } from 'react-dom/client';

createRoot(document.getElementById('root') as HTMLElement).render(<main>Mustard agent</main>);
