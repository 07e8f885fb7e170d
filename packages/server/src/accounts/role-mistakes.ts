/** Finds mistakes in the roles and the operator of `accounts`. */
import { wordsMistakes } from '../resource/fields/choice.ts'
import { isTable, listOfKind, type MemberKind, type MemberProblem, tableOf, textKind } from '../resource/members.ts'
import {
  type AbilitySets,
  isOrder,
  makeRoles,
  type RolesDeclaration,
  roleNamesOf,
} from '../resource/rules/role-order.ts'
import { didYouMean } from '../resource/words/nearest.ts'

const inOrder = listOfKind(textKind)
const asSets = tableOf(listOfKind(textKind))

/** A list of roles in rising order, or an object with the abilities of each. */
export const rolesKind: MemberKind = (value, path, report) => (isTable(value) ? asSets : inOrder)(value, path, report)

/** As scopes of keys are written: they stand in lists with commas, and in sentences. */
const abilityName = /^[A-Za-z][\w.:-]*$/

/** Mistakes in the abilities of one role. */
function* abilityMistakes(role: string, sets: AbilitySets): Generator<string> {
  const abilities = sets[role] ?? []
  const twice = abilities.find((one, at) => abilities.indexOf(one) !== at)
  if (twice !== undefined) yield `"${twice}" is there twice`
  for (const one of abilities)
    if (Object.hasOwn(sets, one)) yield `"${one}" is a role: list its abilities in place of it`
    else if (!abilityName.test(one))
      yield `the ability "${one}" must be letters, digits and _ . : -, and begin with a letter`
}

/** Without an order the operator is named, and other roles lack some of its abilities. */
function* unorderedOperatorMistakes(sets: AbilitySets, operator: string | undefined): Generator<MemberProblem> {
  const roles = makeRoles(sets, operator)
  const { names } = roles
  if (operator === undefined) {
    const problem = `needs operator: roles without an order do not say which of them operates the service${didYouMean('', names)}`
    yield { path: '', problem, isFormRight: true }
  } else if (names.length > 1 && names.includes(operator) && names.every((one) => roles.reaches(one, operator))) {
    const problem = `every role has all abilities of "${operator}", and would operate the service: give it one that the others lack`
    yield { path: 'operator', problem, isFormRight: true }
  }
}

/** Each mistake in roles of the right form. */
export function* roleMistakes(roles: RolesDeclaration, operator: string | undefined): Generator<MemberProblem> {
  const names = roleNamesOf(roles)
  for (const { problem } of wordsMistakes(names)) yield { path: 'roles', problem, isFormRight: true }
  if (operator !== undefined && !names.includes(operator))
    yield { path: 'operator', problem: `no role "${operator}"${didYouMean(operator, names)}`, isFormRight: true }
  if (isOrder(roles)) return
  for (const name of names)
    for (const problem of abilityMistakes(name, roles)) yield { path: `roles.${name}`, problem, isFormRight: true }
  yield* unorderedOperatorMistakes(roles, operator)
}
