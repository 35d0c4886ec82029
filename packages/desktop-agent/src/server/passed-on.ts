/** What a program of the app's own needs of the environment: keys of models and the like are none of its business. */
const passedOn =
  /^(?:path|home|userprofile|appdata|localappdata|systemroot|comspec|pathext|tmpdir|temp|tmp|lang|lc_.*|user|shell|xdg_.*|(?:https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_.*|npm_config_.*|corepack_.*)$/i;

/** The environment of this program, as a package manager or a dev script gets it. */
export function passedOnEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => passedOn.test(key)));
}
