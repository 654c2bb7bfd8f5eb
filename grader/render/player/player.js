/* @dagrejs/dagre and @dagrejs/graphlib:
Copyright (c) 2012-2014 Chris Pettitt

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
"use strict";(()=>{function s(t,n,e){for(let[r,o]of Object.entries(n))u(t,r,o);t.append(...e)}function i(t,n={},...e){let r=document.createElement(t);return s(r,n,e),r}function u(t,n,e){if(e===!1||e===null||e===void 0){t.hasAttribute(n)&&t.removeAttribute(n);return}let r=e===!0?"":String(e);t.getAttribute(n)!==r&&t.setAttribute(n,r)}function d(){let t=document.getElementById("backgrade-player")?.textContent;return t?JSON.parse(t):null}var f=d();f&&(document.getElementById("player")?.append(i("h1",{},"See the gradients flow")),document.documentElement.dataset.player="ready");})();
