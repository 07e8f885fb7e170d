/**
 * Transactions that were in each other's way come one after another: those of this process wait
 * here, without a connection, and those of others by an advisory lock. When one that is first has
 * to give up, something else holds the lock, and all behind it are refused with it.
 */
import { hash } from 'node:crypto'

/** Ends one's turn. `refusal`: what those who wait are refused with. */
type LeaveLine = (refusal?: unknown) => void

export type TransactionLines = {
  /** Resolves when it is one's turn. Rejects with the refusal of the one before. */
  enter(line: number): Promise<LeaveLine>
}

/** Of those that meet again: they met at several tables. */
export const lineOfAll = 0

/**
 * The line of transactions that met at the table of this statement:
 * `select … from "things" … for update`
 */
export function lineOf(sql: string): number {
  const table = /\b(?:from|update|into|table)\s+"([^"]+)"/i.exec(sql)?.[1]
  return table === undefined ? lineOfAll : Number.parseInt(hash('sha256', table, 'hex').slice(0, 7), 16)
}

export function makeTransactionLines(): TransactionLines {
  const lines = new Map<number, ((refusal: unknown) => void)[]>()

  function leave(line: number, refusal: unknown): void {
    const waiting = lines.get(line) ?? []
    const next = refusal === undefined ? waiting.splice(0, 1) : waiting.splice(0)
    if (next.length === 0 || refusal !== undefined) lines.delete(line)
    for (const call of next) call(refusal)
  }

  return {
    async enter(line) {
      const waiting = lines.get(line)
      if (!waiting) lines.set(line, [])
      else
        await new Promise<void>((resolve, reject) => {
          waiting.push((refusal) => (refusal === undefined ? resolve() : reject(refusal)))
        })
      return (refusal) => leave(line, refusal)
    },
  }
}
