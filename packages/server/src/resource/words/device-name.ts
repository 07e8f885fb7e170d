/**
 * A readable name for a device, from its `User-Agent`. The tables list common browsers, systems and
 * programs in the order of the tests: most browsers also name the browsers that they imitate.
 */

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const programLengthMax = 40

function nameIn(table: typeof browsers, text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1]
}

/**
 * `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0` → `Firefox on Linux`;
 * `curl/8.9.1` → `curl`; null → `Unknown`. For a derived field of sessions.
 */
export function deviceName(userAgent: string | null | undefined): string {
  const text = (userAgent ?? '').slice(0, 500)
  const system = nameIn(systems, text)
  const browser = /^Mozilla\//.test(text) ? nameIn(browsers, text) : undefined
  if (browser) return system === undefined ? browser : `${browser} on ${system}`
  const program = /^[\w .+-]+/.exec(text)?.[0].trim().slice(0, programLengthMax)
  if (!program || program === 'Mozilla') return system ?? 'Unknown'
  return program
}
