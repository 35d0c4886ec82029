/** What a card can ask of its host. What is left out is not offered. */
export interface ScriptCardActions {
  /** Runs the script again, with consent like any other. */
  onRerun?: () => void;
  /** The person says what the model should do differently. */
  onRetry?: (guidance: string) => void;
  /** Opens the settings of scripts. */
  onManageScripts?: () => void;
  /** The whole text of a result that was cut, by the name that its record has for it: `attachments:script-output-….txt`. */
  loadFullOutput?: (name: string) => Promise<string>;
  /** Gives the person a file that the script has saved, by the name that its record has for it. */
  downloadOutput?: (name: string) => void;
}
