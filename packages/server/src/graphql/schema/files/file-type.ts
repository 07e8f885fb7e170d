/** The GraphQL type of a file of a record. */
import {
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import type { TypeNames } from '../../../resource/words/document-names.ts'

const scanWords = '`waiting`, `passed` or `refused`; null where the field has no scan, or had none when the file came.'

const needed = (type: GraphQLScalarType) => ({ type: new GraphQLNonNull(type) })

/** `hasScans`: files of some field are scanned. */
export function makeFileType(names: TypeNames, { hasScans }: { readonly hasScans: boolean }): GraphQLObjectType {
  return new GraphQLObjectType({
    name: names.of(['File']),
    description: 'A file of a record. A write names it by its id.',
    fields: {
      id: needed(GraphQLID),
      name: needed(GraphQLString),
      type: { ...needed(GraphQLString), description: 'Its media type, as its bytes say.' },
      size: { ...needed(GraphQLFloat), description: 'In bytes.' },
      sha256: needed(GraphQLString),
      width: { type: GraphQLInt, description: 'Of an image, in pixels; null where it is not known.' },
      height: { type: GraphQLInt },
      ...(hasScans && { scan: { type: GraphQLString, description: scanWords } }),
      url: { type: GraphQLString, description: 'Where its bytes are, for callers who may read the field.' },
    },
  })
}
