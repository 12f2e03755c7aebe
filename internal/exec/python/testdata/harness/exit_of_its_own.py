class Exit(SystemExit):
    @property
    def code(self):
        print("asked")
        return 6


raise Exit(7)
