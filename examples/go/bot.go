// Kali by a rule of thumb, the other games at random: change choose, and ask for what it reads: Wants{View: true, News: true}.
package main

import "fmt"

// Gems worth keeping.
const enough = 3

func choose(request *Request) int {
	if request.Game == "kali" && request.Decision == "go_on" {
		loot := request.View.Int("loot")
		request.Note = fmt.Sprintf("%d gems at stake", loot)
		if loot >= enough {
			return request.Named("stop")
		}
		return request.Named("draw")
	}
	return request.Luck.Below(len(request.Moves))
}

func main() {
	Run("go", Wants{View: true}, choose)
}
