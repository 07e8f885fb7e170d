/**
 * Checks the address that the demo listens on. The documentation shows the demo's passwords, so it
 * listens on the loopback interface alone.
 */

const flag = '--published-passwords'

/** One line that says why the address is refused; undefined when it is accepted. */
export function findOpenDoor(host: string, args: readonly string[]): string | undefined {
  const isOwn = host === '' || /^(localhost|::1|127(\.\d{1,3}){3})$/i.test(host)
  if (isOwn || args.includes(flag)) return undefined
  return `HOST is ${host}, where others can reach this server, and the passwords of the demo are public. Leave HOST out, or say ${flag}: npm run demo -- ${flag}`
}
