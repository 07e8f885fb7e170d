/**
 * The server's own scalars. They name the type of a value; the field validates the value, as in
 * REST, so that both protocols refuse it with the same message.
 */
import {
  type ASTVisitor,
  GraphQLError,
  GraphQLScalarType,
  isTypeSubTypeOf,
  Kind,
  parseType,
  typeFromAST,
  type ValidationContext,
  type ValueNode,
  VariablesInAllowedPositionRule,
  valueFromASTUntyped,
} from 'graphql'
import { numberFault } from '../../value/json-number.ts'

/** The address that explains the scalars (`scalars-page.ts`). */
export const scalarsPath = '/graphql/scalars'

function fits<T>(name: string, what: string, is: (value: unknown) => value is T): (value: unknown) => T {
  return (value) => {
    if (!is(value)) throw new GraphQLError(`${name} must be ${what}`)
    return value
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const parseNumber = fits('Money', 'a number', isNumber)

function textScalar(name: string, description: string, specifiedByURL: string): GraphQLScalarType<string> {
  const parse = fits(name, 'a string', isText)
  return new GraphQLScalarType<string>({
    name,
    description,
    specifiedByURL,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  })
}

export const DateTime = textScalar(
  'DateTime',
  'A moment, RFC 3339: shown in UTC with milliseconds, taken with any offset.',
  'https://scalars.graphql.org/andimarek/date-time.html',
)

/** `Date` is a global of JavaScript. */
export const CalendarDate = textScalar(
  'Date',
  'A day of the calendar without a time zone, RFC 3339: 2026-01-31.',
  `${scalarsPath}#Date`,
)

export const LocalTime = textScalar(
  'LocalTime',
  'A time of day without a time zone, to the millisecond: 12:30:00.',
  `${scalarsPath}#LocalTime`,
)

export const Money = new GraphQLScalarType<number>({
  name: 'Money',
  description: 'An amount of the one currency, exact: a number with at most two decimals.',
  specifiedByURL: `${scalarsPath}#Money`,
  parseValue: parseNumber,
  parseLiteral: (node) =>
    parseNumber(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined),
})

/**
 * Numbers of a document and of variables are taken where a double holds them exactly. The field
 * checks the rest, with the sentence of REST.
 */
function exactNumber(name: string, description: string): GraphQLScalarType<string | number> {
  const isExact = (value: unknown): value is string | number => isText(value) || isNumber(value)
  const parse = fits(name, 'a text of digits', isExact)
  return new GraphQLScalarType<string | number>({
    name,
    description,
    specifiedByURL: `${scalarsPath}#${name}`,
    parseValue: parse,
    // The digits as they are written: a double would lose some.
    parseLiteral: (node) =>
      parse(node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : undefined),
  })
}

export const BigIntScalar = exactNumber(
  'BigInt',
  'A whole number of 64 bits, exact: a text such as "9007199254740993". Sums may be longer.',
)

export const Decimal = exactNumber(
  'Decimal',
  'A number with a fixed count of decimals, exact: a text such as "12.50". Fields that are declared so have a number.',
)

/** A number in a document is read as strictly as one in a body. */
function checkLiteral(node: ValueNode): void {
  if (node.kind === Kind.LIST) node.values.forEach(checkLiteral)
  else if (node.kind === Kind.OBJECT) for (const { value } of node.fields) checkLiteral(value)
  else if (node.kind === Kind.INT || node.kind === Kind.FLOAT) {
    const fault = numberFault(node.value, 0, node.value.length)
    if (fault !== undefined) throw new GraphQLError(fault)
  }
}

export const JsonScalar = new GraphQLScalarType<unknown>({
  name: 'JSON',
  description: 'Any JSON value: an object, a list, a text, a number, a boolean or null.',
  specifiedByURL: `${scalarsPath}#JSON`,
  parseValue: (value) => value,
  parseLiteral(node, variables) {
    checkLiteral(node)
    return valueFromASTUntyped(node, variables)
  },
})

/** The names of these types before they were scalars of their own. */
const earlier = [
  [/\bFloat\b/, Money.name],
  [/\bString\b/, DateTime.name],
] as const

/** `$price: Float` where Money is expected: earlier documents still use it for the same values. */
function isEarlier(context: ValidationContext, { message }: GraphQLError): boolean {
  const [, given = '', expected = ''] = /of type "(.+)" used in position expecting type "(.+)"/.exec(message) ?? []
  const schema = context.getSchema()
  return earlier.some(([name, now]) => {
    if (!name.test(given) || !expected.includes(now)) return false
    const type = typeFromAST(schema, parseType(given.replace(name, now)))
    const wanted = typeFromAST(schema, parseType(expected))
    return type !== undefined && wanted !== undefined && isTypeSubTypeOf(schema, type, wanted)
  })
}

/** GraphQL's rule of that name, which also accepts variables of the earlier types. */
export function VariablesOfEarlierTypesRule(context: ValidationContext): ASTVisitor {
  const lenient = Object.create(context, {
    reportError: {
      value: (error: GraphQLError) => {
        if (!isEarlier(context, error)) context.reportError(error)
      },
    },
  }) as ValidationContext
  return VariablesInAllowedPositionRule(lenient)
}
