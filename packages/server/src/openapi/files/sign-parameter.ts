/** The parameter of reads that asks for signed addresses of files. */
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { signParameter, takesSign } from '../../rest/file-routes.ts'
import type { Route } from '../../rest/route.ts'
import { inQuery } from '../lists/query-parameter.ts'
import type { OpenapiNode } from '../openapi-node.ts'

const about = 'Files with a signed `url`, for an hour.'

export function signParameters(route: Route): readonly OpenapiNode[] {
  if (!takesSign(route)) return []
  const { fields, fileNames } = route.target.resource
  const names = fileNames.flatMap((name) => {
    const { limits } = fields[name] as unknown as FileField
    return [name, ...Object.keys(limits.variants ?? {}).map((one) => `${name}.${one}`)]
  })
  const schema: OpenapiNode = { type: 'array', items: { type: 'string', enum: names } }
  return [inQuery({ name: signParameter, about, schema, example: names.slice(0, 1) })]
}
