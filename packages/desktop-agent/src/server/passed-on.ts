/** The environment variables that a program of the app needs. Others may be keys of models. */
const passedOn =
  /^(?:path|home|userprofile|appdata|localappdata|systemroot|comspec|pathext|tmpdir|temp|tmp|lang|lc_.*|user|shell|xdg_.*|(?:https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_.*|npm_config_.*|corepack_.*)$/i;

/** The part of this program's environment that a package manager or a dev script gets. */
export function passedOnEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => passedOn.test(key)));
}
