print("hello, é 😀 <b>&")
6 * 7
