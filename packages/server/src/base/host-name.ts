/**
 * The names of hosts, as a `Host` header has them (RFC 9110, section 7.2). Knows neither requests
 * nor the configuration.
 */

/**
 * Without the port and the dot of the root: `Localhost:3000` → `localhost`, `[::1]:80` → `[::1]`,
 * `api.example.` → `api.example`.
 */
export function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

/** Whether the name always means the local machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
