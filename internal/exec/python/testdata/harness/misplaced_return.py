x = 1
return 3
