// Types of `<rasterloom-view>` in Vue's templates, published as they are: `import type {} from 'rasterloom/view/vue'`.
import type { HTMLAttributes } from 'vue';
import type { RasterloomViewAttributes } from 'rasterloom/view';

declare module 'vue' {
  interface GlobalComponents {
    'rasterloom-view': new () => { $props: HTMLAttributes & RasterloomViewAttributes };
  }
}
