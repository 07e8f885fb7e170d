/** Where the paths of the API begin, for routes of resources and for those of none. */

export const apiPrefix = '/api/v1'
export const batchPath = `${apiPrefix}/batch`
