// Text that is safe to show, without loading the client: for a command that only prints its usage.
export { inColumns, oneLine, printable, printableCode, printableJson, shorten } from '@mustard-sandbox/daemon/text';
