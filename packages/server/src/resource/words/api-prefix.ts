/** The prefix of the paths of the API, for routes of resources and for all others. */
export const apiPrefix = '/api/v1'
