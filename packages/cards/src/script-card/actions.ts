import type { RowsLoader } from '../table/rows-loader.ts';

/** What a card can ask of its host. An action that is left out is not offered. */
export interface ScriptCardActions {
  /** Runs the script again, with consent like any other. */
  onRerun?: () => void;
  /** Called with the person's advice to the model. */
  onRetry?: (guidance: string) => void;
  /** Opens the settings of scripts. */
  onManageScripts?: () => void;
  /** Loads the whole text of a result that was cut, by the name in its record: `attachments:script-output-….txt`. */
  loadFullOutput?: (name: string) => Promise<string>;
  /** Loads the text of a file that the script has saved, by the name in its record. The card shows its charts by it. */
  loadOutput?: (name: string) => Promise<string>;
  /** Loads a page of a table that the script has saved. Such a file can then be opened, whatever its length. */
  loadRows?: RowsLoader;
  /** Gives the person a file that the script has saved, by the name in its record. */
  downloadOutput?: (name: string) => void;
}
