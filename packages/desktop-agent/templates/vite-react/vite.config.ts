import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // Only this machine can open the development server.
  server: { host: '127.0.0.1' },
});
