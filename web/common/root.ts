/**
 * The root of the service from the address of one of the page's scripts, `<root>assets/<name>.js`, as a path with a slash
 * at its end: so that no prefix is built in.
 */
export const rootOf = (scriptUrl: string): string => new URL('..', scriptUrl).pathname
