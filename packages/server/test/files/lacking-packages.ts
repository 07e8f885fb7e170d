/** Preloaded: the optional packages of uploads and of buckets are not installed. */
import { registerHooks } from 'node:module'

const lacking = ['@fastify/busboy', '@tus/server', 's3mini']

registerHooks({
  resolve(specifier, context, next) {
    if (!lacking.includes(specifier)) return next(specifier, context)
    throw Object.assign(new Error(`Cannot find module '${specifier}'`), { code: 'MODULE_NOT_FOUND' })
  },
})
