/**
 * Reads the engine's public declarations with the TypeScript compiler: functions with their
 * parameters, object types with their members, and the comment of each. It knows nothing of how
 * they are printed.
 */
import { join } from 'node:path'
import type { FunctionDeclaration, Node, PropertySignatureDeclaration, TypeNode } from 'typescript/unstable/ast'
import {
  isFunctionDeclaration,
  isIntersectionTypeNode,
  isMethodSignatureDeclaration,
  isParenthesizedTypeNode,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isTypeReferenceNode,
  isUnionTypeNode,
} from 'typescript/unstable/ast/is'
import { API, type Symbol as Named, type Project } from 'typescript/unstable/sync'
import { plainType } from './plain-types.ts'

export type Member = {
  readonly name: string
  readonly needed: boolean
  /** Empty where a word does not tell it. */
  readonly type: string
  /** As it is written. */
  readonly written: string
  readonly comment: string
}
export type Shape = {
  readonly members: readonly Member[]
  /** Other types of which it has the members too. */
  readonly includes: readonly string[]
}
/** `call`: `text(options?)`, or the name of a constant. */
export type Callable = { readonly call: string; readonly comment: string }
const textOf = (node: Node | undefined) => node?.getText().replace(/\s+/g, ' ') ?? ''

/** `get(id: IdOf<F>): Promise<…>` → `get(id)` */
function callOf(node: Node): string {
  return textOf(node)
    .replace(/^.*\*\/ /, '')
    .replace(/^(\w+)<.*?>\(/, '$1(')
    .replace(/: Promise.*$/, '')
    .replace(/: \w+<[^()<>]*>(?=[,)])/g, '')
    .replace(/: [^,)]*/g, '')
}

function together(shapes: readonly Shape[]): Shape {
  const members = shapes.flatMap((shape) => shape.members).filter(({ written }) => written !== 'undefined')
  return {
    members: members.filter((one, at) => members.findIndex(({ name }) => name === one.name) === at),
    includes: shapes.flatMap(({ includes }) => includes),
  }
}

function makeReader({ checker }: Project) {
  const commentOf = (symbol: Named | undefined) =>
    symbol
      ?.getDocumentationComment(checker)
      .replace(/\s*\n\s*/g, ' ')
      .trim() ?? ''

  /** `'a' | 'b'` for a type that is a name for it, so that readers see the words. */
  function wordsOf(node: TypeNode): string | undefined {
    const type = checker.getTypeFromTypeNode(node)
    const parts = type?.isUnionType() ? (type.getTypes() ?? []) : []
    const literals = parts.flatMap((one) => (one.isStringLiteralType() ? [`'${one.value}'`] : []))
    return literals.length > 1 && literals.length === parts.length ? literals.join(' | ') : undefined
  }

  function memberOf(node: Node): Member {
    const { name, postfixToken, type } = node as PropertySignatureDeclaration
    const comment = commentOf(checker.getSymbolAtLocation(name))
    if (isMethodSignatureDeclaration(node) || type === undefined)
      return { name: callOf(node), needed: false, type: '', written: '', comment }
    const shown = wordsOf(type) ?? plainType(textOf(type))
    return { name: textOf(name), needed: postfixToken === undefined, type: shown, written: textOf(type), comment }
  }

  function shapeOf(node: Node): Shape {
    if (isIntersectionTypeNode(node) || isUnionTypeNode(node))
      return together([...node.types].map((one) => shapeOf(one)))
    if (isParenthesizedTypeNode(node)) return shapeOf(node.type)
    if (isTypeReferenceNode(node)) return { members: [], includes: [textOf(node.typeName)] }
    const members = isTypeLiteralNode(node) ? [...node.members].map((one) => memberOf(one)) : []
    return { members, includes: [] }
  }
  return { commentOf, shapeOf }
}

/** Reads the sources of the engine in the repository at `root`. */
export function readSources(root: string) {
  const api = new API({ cwd: root })
  const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] })
  const [project] = snapshot.getProjects()
  if (!project) throw new Error(`There is no project in ${root}`)
  const { checker, program } = project
  const { commentOf, shapeOf } = makeReader(project)

  function fileOf(path: string) {
    const file = program.getSourceFile(join(root, 'packages/server/src', path))
    if (!file) throw new Error(`There is no ${path}`)
    return file
  }
  const entry = checker.getSymbolAtLocation(fileOf('index.ts'))
  const symbols = entry ? checker.getExportsOfModule(entry).map((symbol) => checker.getAliasedSymbol(symbol)) : []
  const values = symbols.filter((symbol) => symbol.valueDeclaration)

  return {
    /** The names of functions and constants that the entry exports. */
    exported: values.map(({ name }) => name),
    callable(name: string): Callable {
      const symbol = values.find((one) => one.name === name)
      const node = symbol?.declarations[0]?.resolve(project) as FunctionDeclaration | undefined
      if (!node) throw new Error(`The entry exports no ${name}`)
      if (!isFunctionDeclaration(node)) return { call: name, comment: commentOf(symbol) }
      const shown = [...node.parameters].map(
        (one) => `${textOf(one.name)}${one.questionToken || one.initializer ? '?' : ''}`,
      )
      return { call: `${name}(${shown.join(', ')})`, comment: commentOf(symbol) }
    },
    shape(path: string, type: string): Shape {
      const found = [...fileOf(path).statements]
        .filter(isTypeAliasDeclaration)
        .find(({ name }) => textOf(name) === type)
      if (!found) throw new Error(`${path} declares no type ${type}`)
      return shapeOf(found.type)
    },
    close: () => api.close(),
  }
}

export type Sources = ReturnType<typeof readSources>
