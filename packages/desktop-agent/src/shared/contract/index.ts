export * from './channels.ts';
export * from './errors.ts';
export * from './frames.ts';
export * from './model.ts';
export * from './preview.ts';
export * from './transport.ts';
export * from './tools.ts';
export * from './starting.ts';
