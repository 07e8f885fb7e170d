/**
 * Finds the line of a rule. A declaration knows its file and the line where it begins. The rule
 * below it is found in the text of that file, when an explanation is asked for. Where the text is
 * another, the place is that of the declaration.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { accessWordOf } from '../../resource/access/change-rule.ts'
import type { Resource } from '../../resource/catalog.ts'
import { type DeclaredMember, membersIn } from './declared-members.ts'

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

function startOfLine(text: string, line: number): number {
  return text.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, 0)
}

/**
 * `access.update.anyOf[1]` → the line of `update`, or of `write`, which stands for it. Undefined
 * where no declaration of this name begins at the line.
 */
export function lineOfRule(
  text: string,
  { name, line }: { readonly name: string; readonly line: number },
  at: string,
): number | undefined {
  let members = membersIn(text, { from: startOfLine(text, line), to: text.length })
  const named = members.get('name')
  if (!named || !new RegExp(`^:\\s*(['"\`])${name}\\1`).test(text.slice(named.from, named.to))) return undefined
  let found: DeclaredMember | undefined
  for (const step of at.split('.')) {
    const next = members.get(step) ?? members.get(accessWordOf(step) ?? '')
    if (!next) break
    found = next
    members = membersIn(text, next)
  }
  return found && lineAt(text, found.at)
}

/** Returns the place of each rule of the resource: `access.update` → `resources/posts.ts:61`. */
export async function rulePlaces({ name, writtenIn, writtenAt }: Resource): Promise<(at: string) => string> {
  const line = Number(writtenAt.slice(writtenAt.lastIndexOf(':') + 1))
  // A bundle or an archive may have no file of this name.
  const text = await readFile(resolve(writtenIn), 'utf8').catch(() => '')
  return (at) => {
    const found = lineOfRule(text, { name, line }, at)
    return found === undefined ? writtenAt : `${writtenIn}:${found}`
  }
}
