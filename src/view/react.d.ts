// Types of `<rasterloom-view>` in React's JSX, published as they are: `import type {} from 'rasterloom/view/react'`.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { RasterloomView, RasterloomViewAttributes } from 'rasterloom/view';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'rasterloom-view': DetailedHTMLProps<HTMLAttributes<RasterloomView>, RasterloomView> & RasterloomViewAttributes;
    }
  }
}
