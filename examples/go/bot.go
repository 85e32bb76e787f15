// Any move will do: change choose, and ask for what it reads: Wants{View: true, News: true}.
package main

func choose(request *Request) int {
	return request.Luck.Below(len(request.Moves))
}

func main() {
	Run("go", Wants{}, choose)
}
