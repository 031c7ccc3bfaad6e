// The part of '@playwright/test' that the fixture uses. The package is not installed here: it is the user's.
declare module '@playwright/test' {
  import type { Page } from 'playwright-core';

  export type { Locator, Page } from 'playwright-core';

  export interface TestInfo {
    readonly file: string;
    readonly titlePath: readonly string[];
    readonly config: { readonly updateSnapshots: string };
    readonly annotations: { type: string; description?: string }[];
    readonly attachments: { name: string; path?: string; contentType: string }[];
  }
  export interface MatcherReturnType {
    name?: string;
    pass: boolean;
    message: () => string;
  }
  export interface PlaywrightTestArgs {
    readonly page: Page;
  }
  export type PlaywrightTestOptions = object;
  export type PlaywrightWorkerArgs = object;
  export type PlaywrightWorkerOptions = object;
  export interface TestType<TestArgs extends object, WorkerArgs extends object> {
    (title: string, body: (args: TestArgs & WorkerArgs) => unknown): void;
    info(): TestInfo;
    extend<More extends object>(fixtures: object): TestType<TestArgs & More, WorkerArgs>;
  }
  export interface Expect<Matchers> {
    (value: unknown): Matchers;
    extend<More>(matchers: More): Expect<Matchers & More>;
  }
  export const test: TestType<
    PlaywrightTestArgs & PlaywrightTestOptions,
    PlaywrightWorkerArgs & PlaywrightWorkerOptions
  >;
  export const expect: Expect<object>;
}

declare module '@playwright/test/reporter' {
  interface Annotation {
    readonly type: string;
    readonly description?: string;
  }
  export interface FullConfig {
    readonly updateSnapshots: string;
  }
  export interface FullResult {
    readonly status: string;
  }
  export interface TestCase {
    readonly location: { readonly file: string };
    readonly expectedStatus: string;
    readonly annotations: readonly Annotation[];
    readonly results: readonly { readonly annotations?: readonly Annotation[] }[];
    outcome(): string;
  }
}
