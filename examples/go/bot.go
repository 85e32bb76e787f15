// Any move will do: change choose.
package main

func choose(request *Request) int {
	return request.Luck.Below(len(request.Moves))
}

func main() {
	Run("go", choose)
}
