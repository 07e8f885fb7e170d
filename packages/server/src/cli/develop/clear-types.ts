/**
 * Rewords type errors of the compiler for people, with the messages of a start where those are
 * clearer. Each mistake is reported once.
 */
import type { BuildProblem } from '../../develop/build-problem.ts'
import { fieldTypeNames, meantElsewhere, meantEntry, ruleNames } from '../../resource/words/entry-names.ts'

const unexported = /^(?<code>TS\d+): (?:Module )?'"bindery-server"' has no exported member (?:named )?'(?<name>\w+)'/
const unknownProperty =
  /^(?<code>TS\d+): Property '(?<name>\w+)' does not exist on type 'typeof import\("[^"]*bindery-server[^"]*"\)'/
const unknownName = /^(?<code>TS\d+): Cannot find name '(?<name>\w+)'/
/** The error of `defineResources` that follows from another type error. */
const consequence = /required in type '\{ readonly mistake:\sany; \}'/

function clearText(text: string): string {
  const { code, name } = (unexported.exec(text) ?? unknownProperty.exec(text))?.groups ?? {}
  if (name)
    return `${code}: "bindery-server" exports no "${name}"${meantEntry(name, [...fieldTypeNames, ...ruleNames])}`
  const unknown = unknownName.exec(text)?.groups
  const meant = unknown?.name ? meantElsewhere(unknown.name) : ''
  return meant === '' ? text : `${unknown?.code}: Cannot find name '${unknown?.name}'${meant}`
}

/** `said`: what a start has refused. A mistake of the compiler on the same line is the same one. */
export function clearTypes(found: readonly BuildProblem[], said: readonly BuildProblem[] = []): BuildProblem[] {
  const isSaid = ({ file, line }: BuildProblem) => said.some((one) => one.file === file && one.line === line)
  const own = found.filter((one) => !isSaid(one))
  const causes = own.filter(({ text }) => !consequence.test(text))
  const isExplained = causes.length + said.length > 0
  return (isExplained ? causes : own).map((one) => ({ ...one, text: clearText(one.text) }))
}
