/**
 * The demo's passwords are printed in its documentation, so it listens where only this machine
 * hears it.
 */

const flag = '--published-passwords'

/** What is wrong with the address, as one line; undefined where nothing is. */
export function findOpenDoor(host: string, args: readonly string[]): string | undefined {
  const isOwn = host === '' || /^(localhost|::1|127(\.\d{1,3}){3})$/i.test(host)
  if (isOwn || args.includes(flag)) return undefined
  return `HOST is ${host}, where others can reach this server, and everybody knows the passwords of the demo. Leave HOST out, or say ${flag}: npm run demo -- ${flag}`
}
