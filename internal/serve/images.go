package serve

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
)

// isImage knows the types that clients show.
func isImage(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// imageFault says why data cannot be sent as an image. Many clients keep a
// conversation with an image that a model's side refuses, and refuse every turn
// after it; so what does not begin as what its name says is no image.
func imageFault(mediaType string, data []byte) string {
	var (
		c   image.Config
		err error
	)
	switch r := bytes.NewReader(data); mediaType {
	case "image/png":
		c, err = png.DecodeConfig(r)
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(r)
	case "image/gif":
		c, err = gif.DecodeConfig(r)
	case "image/webp":
		c, err = webp.DecodeConfig(r)
	}
	switch {
	case err != nil:
		return "it is not what its name says, " + mediaType
	case c.Width < 1 || c.Height < 1:
		return "it has no pixels"
	case c.Width > maxImageSide || c.Height > maxImageSide:
		return fmt.Sprintf("it is %dx%d pixels, and images are shown up to %d a side", c.Width, c.Height, maxImageSide)
	}
	return ""
}
