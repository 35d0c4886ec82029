import type { OpenModel } from '../models/models.ts';
import type { Turn } from './turn.ts';

/** The model of a chat: its own, that of the settings, or the first that answers. @throws as `Models.open` */
export async function openModel(
  { models }: Pick<Turn['services'], 'models'>,
  chat: Turn['chat'],
  settings: Turn['settings'],
): Promise<OpenModel> {
  return await models.open(chat.model ?? settings.model ?? (await models.first()));
}
