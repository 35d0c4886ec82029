import { createService } from './service.js';

const port = Number(process.env['PORT'] ?? 3000);
const service = createService();
// Only this machine can reach it, until the host is another one.
service.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/health`));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => service.close());
