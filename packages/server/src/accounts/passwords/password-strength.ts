/**
 * Estimates how easily a password is guessed, by zxcvbn (`PASSWORD_STRENGTH`). It looks for words,
 * names, dates and keyboard patterns in English and German, and for the account's own texts. Its
 * lists take some 60 MB, which a service without the setting does not load.
 */
import { checkInstalled } from '../../base/optional-package.ts'

/**
 * Why the password is too easy to guess and what to do, as a whole sentence's end; undefined when
 * it is not. `own`: texts of the account.
 */
export type FindWeakness = (password: string, own: readonly string[]) => string | undefined

const packages = ['@zxcvbn-ts/core', '@zxcvbn-ts/language-common', '@zxcvbn-ts/language-en', '@zxcvbn-ts/language-de']

/**
 * An estimate blocks the process. Its time grows steeply with the length and with the number of
 * characters that may stand for letters: 72 random ones took a second. Characters beyond this
 * length make no password easier.
 */
const lengthMax = 24
const substitutionsMax = 16

/** Words of the account that are looked for. */
const wordsMax = 100

async function load() {
  const [{ ZxcvbnFactory }, common, english, german] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
    import('@zxcvbn-ts/language-de'),
  ])
  // German words beside the English ones of the same kind, under names of their own.
  const ofGerman = Object.entries(german.dictionary).map(([name, words]) => [`${name.replace(/-de$/, '')}-de`, words])
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary, ...Object.fromEntries(ofGerman) },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
    maxLength: lengthMax,
    l33tMaxSubstitutions: substitutionsMax,
    useLevenshteinDistance: false,
  })
}

/** `least`: what it must give, 1 to 4. Throws `StartError` where a package for it is missing. */
export async function loadWeakness(least: number): Promise<FindWeakness> {
  for (const name of packages) checkInstalled({ name }, `PASSWORD_STRENGTH=${least}`)
  const zxcvbn = await load()
  return (password, own) => {
    const words = own.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).filter((one) => one.length > 1)
    const { score, feedback } = zxcvbn.check(password, words.slice(0, wordsMax))
    if (score >= least) return undefined
    const reasons = [feedback.warning, ...feedback.suggestions].filter((one) => one)
    const advice = reasons.length > 0 ? reasons.map((one) => `${one}`.replace(/\.?$/, '.')) : ['Add a word or two.']
    return `is too easy to guess. ${advice.join(' ')}`
  }
}
