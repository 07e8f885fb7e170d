/**
 * Cleans the name of an uploaded file. It has no path, no control character, and no mark that turns
 * texts around. No file system refuses it.
 */
const lengthMax = 200
const endingMax = 20

/** Control characters, and those that change the direction of a text or join nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu
/** Names that Windows keeps for devices, with any ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const forbidden = /[<>:"|?*]/g

/** `../../a\u0000b.PDF` → `ab.PDF`; `fallback` where nothing is left. */
export function cleanName(sent: string | undefined, fallback: string): string {
  const last = (sent ?? '').split(/[/\\]/).at(-1) as string
  const plain = last.normalize('NFC').replace(unseen, '').replace(forbidden, '_').replace(/\s+/g, ' ').trim()
  const name = plain.replace(/^\.+/, '').replace(/[. ]+$/, '')
  if (name === '') return fallback
  const safe = deviceName.test(name) ? `_${name}` : name
  return shortened(safe)
}

/** The ending stays, since people and programs know types by it. */
function shortened(name: string): string {
  const letters = [...name]
  if (letters.length <= lengthMax) return name
  const at = name.lastIndexOf('.')
  const ending = at > 0 ? name.slice(at) : ''
  const kept = [...ending].length <= endingMax ? ending : ''
  return letters.slice(0, lengthMax - [...kept].length).join('') + kept
}
