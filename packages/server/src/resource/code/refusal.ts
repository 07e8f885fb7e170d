/** Refusals by code of an application: each has a sentence, which its caller reads. */
import { ApiError } from '../../errors.ts'

/** A fault of the code: the sentence tells its caller nothing. */
export function sentenceMistake(sentence: unknown): Error | undefined {
  if (typeof sentence === 'string' && sentence.trim() !== '') return undefined
  const given = typeof sentence === 'string' ? 'an empty text' : String(typeof sentence)
  return new Error(`refuse('…') needs a sentence that tells the caller why, and was given ${given}`)
}

/** Throws an `Error`, which names no caller: the log names the code. */
export function checkSentence(sentence: unknown): void {
  const mistake = sentenceMistake(sentence)
  if (mistake) throw mistake
}

/** Throws `conflict`. */
export function refuseInCode(sentence: string): never {
  checkSentence(sentence)
  throw new ApiError('conflict', sentence)
}
