/** Types of the used parts of the S3 server, which has none. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  interface ListOptions {
    delimiter?: string
    prefix?: string
    maxKeys?: number
  }
  interface Listing {
    objects: { key: string }[]
    commonPrefixes: string[]
    isTruncated: boolean
  }
  export default class S3rver {
    store: {
      listObjects: (bucket: string, options: ListOptions) => Promise<Listing>
      putObject: (object: { key: string }) => Promise<unknown>
    }
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      configureBuckets: { name: string }[]
    })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
