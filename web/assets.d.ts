/** What the bundler takes besides scripts. */
declare module '*.css'
